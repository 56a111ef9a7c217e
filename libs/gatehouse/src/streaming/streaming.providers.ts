import type { Provider } from '@nestjs/common';

import { RunInputReader } from './ag-ui/run.input.reader.js';
import { ChatInputReader } from './ai-sdk/chat.input.reader.js';
import { Disconnects } from './disconnects.js';
import { DroppedContent } from './entry/dropped.content.js';
import { RepeatedAnswers } from './entry/repeated.answers.js';
import { ResumeAnswers } from './entry/resume.answers.js';
import { RunResumer } from './entry/run.resumer.js';
import { RunStarter } from './entry/run.starter.js';
import { RemoteLeave } from './remote.leave.js';
import { RemoteWatch } from './remote.watch.js';
import { RunReaders } from './run.readers.js';
import { RunStreams } from './run.streams.js';

/** What our controllers inject, wherever an app mounts them: the module exports it. */
export const streamingExports = [
  RunStarter,
  RunResumer,
  RunStreams,
  Disconnects,
  RunInputReader,
  ChatInputReader,
  DroppedContent,
];

/** The streaming room's providers. */
export const streamingProviders: Provider[] = [
  ...streamingExports,
  RunReaders,
  RemoteLeave,
  RemoteWatch,
  ResumeAnswers,
  RepeatedAnswers,
];
