import type { Provider } from '@nestjs/common';

import { ResumeAnswers } from './ag-ui/resume.answers.js';
import { RunResumer } from './ag-ui/run.resumer.js';
import { RunStarter } from './ag-ui/run.starter.js';
import { Disconnects } from './disconnects.js';
import { DroppedContent } from './dropped.content.js';
import { RunReaders } from './run.readers.js';
import { RunStreams } from './run.streams.js';

/** What our controllers inject, wherever an app mounts them: the module exports it, together with the persistence ports. */
export const streamingExports = [RunStarter, RunResumer, RunStreams, Disconnects, DroppedContent];

/** The streaming room's providers. */
export const streamingProviders: Provider[] = [...streamingExports, RunReaders, ResumeAnswers];
