import type { UiChunk } from './ui.chunk.js';

/** Clients refuse a whole stream for a member that could reach a prototype. */
const SUSPECT = /"(__proto__|constructor)"\s*:/;

/** A chunk as JSON text that every client takes. */
export function textOfChunk(chunk: UiChunk): string {
  const text = JSON.stringify(chunk);
  return SUSPECT.test(text) ? JSON.stringify(chunk, (_, value: unknown) => harmless(value)) : text;
}

/** Objects with such members, under names that say what was meant. */
function harmless(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (!entries.some(isRefused)) return value;
  return Object.fromEntries(entries.map((entry) => (isRefused(entry) ? [`[${entry[0]}]`, entry[1]] : entry)));
}

const isRefused = ([name, value]: readonly [string, unknown]): boolean =>
  name === '__proto__' ||
  (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));
