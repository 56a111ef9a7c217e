import { Inject, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { LanguageModel } from 'ai';
import { Agent } from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
import { DESK_MODEL, type DeskModel } from './desk.model.js';

/** The support desk's agent. It may propose every tool; what runs is not its choice. */
@Agent({ name: 'desk', default: true })
export class DeskAgent extends ModelAgent implements OnApplicationBootstrap {
  private readonly logger = new Logger('desk.agent');
  override readonly model: LanguageModel;
  override readonly instructions =
    'You help the people of a support desk with their customers and orders. Amounts are in cents. ' +
    'When a call was denied or failed, say so and do not try it again.';

  constructor(@Inject(DESK_MODEL) private readonly chosen: DeskModel) {
    super();
    this.model = chosen.model;
  }

  onApplicationBootstrap(): void {
    this.logger.log(`Model: ${this.chosen.description}`);
  }
}
