/** One frame of an SSE stream: an event, or a comment of its own. Fields that were not sent are absent. */
export interface SseFrame {
  readonly id?: string;
  readonly event?: string;
  /** The data lines, joined by line feeds. */
  readonly data?: string;
  /** The comment lines, joined by line feeds. */
  readonly comment?: string;
}

type Fields = { -readonly [Field in keyof SseFrame]: string };

/** Cuts text into frames as it arrives. Line ends may be LF, CR LF or CR, and a chunk may end anywhere. */
export class SseParser {
  private rest = '';
  private fields: Fields = {};

  /** The frames that this chunk completes. A frame is complete with its blank line; what is left at the end of a stream is dropped, as browsers do. */
  push(chunk: string): SseFrame[] {
    const text = this.rest + chunk;
    // A CR at the very end may be half of a CR LF.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/u);
    this.rest = (lines.pop() ?? '') + text.slice(whole.length);
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): SseFrame[] {
    if (line === '') return this.complete();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /u, '');
    if (name === 'id' || name === 'event') this.fields[name] = value;
    if (name === 'data') this.append('data', value);
    if (name === '') this.append('comment', value);
    return [];
  }

  private append(field: 'data' | 'comment', value: string): void {
    const before = this.fields[field];
    this.fields[field] = before === undefined ? value : `${before}\n${value}`;
  }

  private complete(): SseFrame[] {
    const frame = this.fields;
    this.fields = {};
    return Object.keys(frame).length === 0 ? [] : [Object.freeze(frame)];
  }
}
