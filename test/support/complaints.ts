import { runInThisContext } from 'node:vm';

/** Jest gives a test a copy of `process` that is told of nothing: this is the one that Node tells. */
const real = runInThisContext('process') as NodeJS.Process;

/** Notes what Node warns of, and rejections that nobody handles, until it is asked what there was. */
export function notingComplaints(): () => Promise<string[]> {
  const noted: string[] = [];
  const warned = ({ name, message }: Error): void => {
    if (name !== 'ExperimentalWarning') noted.push(message);
  };
  const rejected = (reason: unknown): void => void noted.push(`unhandled: ${String(reason)}`);
  real.on('warning', warned).on('unhandledRejection', rejected);
  return async () => {
    await new Promise(setImmediate);
    real.off('warning', warned).off('unhandledRejection', rejected);
    return noted;
  };
}
