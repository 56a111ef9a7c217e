import 'reflect-metadata';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { aRecord, openWriter } from './opened.writer.js';

// Writes records until it is killed, and notes of each, once it is committed, that it is: in a file, which outlives the process.
const CALLERS = 5;
const acknowledged = openSync(process.env['WRITER_FILE'] ?? '', 'a');
const { writer } = openWriter(process.env['WRITER_URL'] ?? '');
writer.onApplicationBootstrap();

const caller = async (): Promise<void> => {
  for (let first = true; ; first = false) {
    const record = aRecord(String(process.pid));
    // What nobody waits for goes along, and facts are there for whoever comes first.
    writer.submit(aRecord('best effort'));
    writer.facts.nudge();
    await writer.submitDurably(record, 60_000);
    writeSync(acknowledged, `${record.record.id}\n`);
    if (first) process.stdout.write('ready\n');
    await pause(20);
  }
};

await Promise.all(Array.from({ length: CALLERS }, caller));
