import type { ToolDefinition } from '../contracts/tool.definition.js';

/** The boot table: each tool, whether a person must decide and why, and the global guards that see its calls. */
export function toolTable(tools: readonly ToolDefinition[], globalGuards: readonly string[]): string {
  const guards = globalGuards.length === 0 ? '-' : globalGuards.join(', ');
  const rows = tools.map(({ name, source, gate }) => [name, source, gate.gated ? 'gated' : 'open', gate.why, guards]);
  const lines = [['tool', 'source', 'gate', 'why', 'global guards'], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const written = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`, ...written].join('\n');
}
