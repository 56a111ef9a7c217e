import 'reflect-metadata';

for (const name of process.argv.slice(2)) {
  const exported = Object.keys(await import(name));
  console.log(name, exported.length > 0 ? 'loaded' : 'is empty');
}
