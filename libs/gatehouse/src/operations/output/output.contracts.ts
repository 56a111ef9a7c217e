import { Injectable } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { FINAL_OUTPUT, type OutputSpec } from '../../contracts/output.js';
import { ToolRegistry } from '../../tools/tool.registry.js';
import { outputContract, type OutputContract } from './output.contract.js';

/** Makes each output spec ready once: an agent's at boot, a request's when it first starts a run. */
@Injectable()
export class OutputContracts {
  private readonly made = new WeakMap<OutputSpec, OutputContract>();

  constructor(private readonly tools: ToolRegistry) {}

  /** @throws ConfigurationError for a schema that cannot be used */
  prepare(spec: OutputSpec, label: string): OutputContract {
    const known = this.made.get(spec);
    if (known !== undefined) return known;
    const contract = outputContract(spec, label);
    this.made.set(spec, contract);
    return contract;
  }

  /** @throws ConfigurationError also where a tool has the name that the output needs */
  of(spec: OutputSpec, label: string): OutputContract {
    const contract = this.prepare(spec, label);
    const tool = this.tools.get(FINAL_OUTPUT);
    if (tool === undefined) return contract;
    throw new ConfigurationError(
      `${tool.source} is named '${FINAL_OUTPUT}', the name by which a model gives the output of a run: give the tool another one.`,
    );
  }
}
