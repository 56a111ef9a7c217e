/** A value of a request, and the field that it stands in. */
export type Placed = readonly [value: unknown, field: string];

/** A file as a client sends it, whichever protocol it speaks: its bytes in base64, or a URL that may hold them. */
export interface SentFile {
  readonly mediaType: Placed;
  readonly name: Placed;
  readonly base64?: Placed;
  readonly url?: Placed;
}
