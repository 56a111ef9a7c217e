import { Module } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import { SystemClock } from '../values/system.clock.js';
import { replaceable } from './replaceable.js';

/** One clock for all rooms, the stores included; an application replaces it by providing `Clock`. */
@Module({ providers: [replaceable(Clock, SystemClock)], exports: [Clock] })
export class ClockModule {}
