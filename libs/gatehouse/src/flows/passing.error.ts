import { ControlError } from '../contracts/errors/control.error.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunSuspended } from '../contracts/errors/run-suspended.js';
import { ToolSignal } from '../contracts/errors/tool.signal.js';

/** Which errors a flow lets pass untouched: hooks are not asked about them, and nothing is tried again. */
export type Passes = (error: unknown) => boolean;

/** What stops a run, and what a tool says to the pipeline. */
export const isSignalOrStop: Passes = (error) => error instanceof ControlError || error instanceof ToolSignal;

/** Of an agent's run: what is not about its task. The other stops of a child run are its failure. */
export const isAboutTheCaller: Passes = (error) =>
  error instanceof HookAbortError || error instanceof RunCancelledError || error instanceof RunSuspended;
