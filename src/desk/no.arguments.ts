import { z } from 'zod';

/** For tools that take none. */
export const NoArguments = z.strictObject({});

export type NoArguments = z.infer<typeof NoArguments>;
