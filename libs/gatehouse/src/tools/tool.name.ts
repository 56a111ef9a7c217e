const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What every tool name is made of; compared byte by byte. */
export const NAME_RULE = '1 to 64 of the characters A-Z a-z 0-9 _ . -';

export const isToolName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name);

/** Names with the same one look alike to a model or a person. */
export const lookAlike = (name: string): string => name.toLowerCase().replaceAll('-', '_');
