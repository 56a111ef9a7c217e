import { errorName } from '../../values/error-text.js';

const CLASS_NAME = /^[A-Za-z_$][\w$.]{0,99}$/;

/** The class of what was thrown; `_OTHER` for a name that is none, as metrics count by it. */
export const errorType = (error: unknown): string => {
  const name = errorName(error);
  return CLASS_NAME.test(name) ? name : '_OTHER';
};
