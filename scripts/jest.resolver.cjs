// TypeScript ESM writes './x.js' for './x.ts'. Only our own sources are mapped, so packages keep their real file names.
const { existsSync } = require('node:fs');
const { resolve, sep } = require('node:path');

const packages = `${sep}node_modules${sep}`;

module.exports = (request, options) => {
  if (request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes(packages)) {
    const source = resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
