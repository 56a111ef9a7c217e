/** The version of this package, as records and processes name it. A test holds it against package.json. */
export const VERSION = '0.1.0';
