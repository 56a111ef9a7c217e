const NAME = '[a-z0-9][a-z0-9!#$&^_.+-]{0,126}';
const TYPE = new RegExp(`^${NAME}/${NAME}$`);
const RANGE = new RegExp(`^${NAME}/(?:\\*|${NAME})$`);

/** The media type that a text names, in lower case and without its parameters; undefined where it names none. */
export function mediaTypeIn(text: string): string | undefined {
  const [type = ''] = text.toLowerCase().split(';', 1);
  return TYPE.test(type.trim()) ? type.trim() : undefined;
}

/** Whether a text in lower case is a media type, or all of a kind, such as `image/*`. */
export const isMediaRange = (text: string): boolean => RANGE.test(text);

/** Whether a media type is in one of the ranges. */
export const inMediaRanges = (type: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1))));
