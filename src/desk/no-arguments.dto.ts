/** For tools that take none. */
export class NoArgumentsDto {}
