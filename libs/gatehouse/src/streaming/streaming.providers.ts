import type { Provider } from '@nestjs/common';

import { ResumeAnswers } from './ag-ui/resume.answers.js';
import { RunInputReader } from './ag-ui/run.input.reader.js';
import { RunResumer } from './ag-ui/run.resumer.js';
import { RunStarter } from './ag-ui/run.starter.js';
import { Disconnects } from './disconnects.js';
import { RunReaders } from './run.readers.js';
import { RunStreams } from './run.streams.js';

/** What our controllers inject, wherever an app mounts them: the module exports it. */
export const streamingExports = [RunStarter, RunResumer, RunStreams, Disconnects, RunInputReader];

/** The streaming room's providers. */
export const streamingProviders: Provider[] = [...streamingExports, RunReaders, ResumeAnswers];
