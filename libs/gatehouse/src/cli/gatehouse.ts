#!/usr/bin/env node
import { run } from './program.js';
import { processTerminal } from './terminal.js';

// A pipe that is closed early (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await run(process.argv.slice(2), processTerminal());
