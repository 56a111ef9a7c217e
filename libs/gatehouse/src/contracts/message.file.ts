/** A file that a user sent with a message, as the thread keeps it and a model is given it. */
export interface MessageFile {
  /** In lower case and without parameters, such as `image/png`. */
  readonly mediaType: string;
  /** What the user calls it: for people and models, never a path to write to. */
  readonly name?: string;
  /** Its bytes in base64, with padding. */
  readonly data: string;
}
