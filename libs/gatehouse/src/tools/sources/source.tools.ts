import { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { SourceTool, ToolSource } from '../../contracts/tool.source.js';
import { refuseGenerator } from '../generator.method.js';
import { methodOf } from '../nest/method.facts.js';
import type { FoundTool } from '../tool.explorer.js';
import { isToolName, NAME_RULE } from '../tool.name.js';
import { SourceMethod } from './source.method.js';

const LONGEST_NAMESPACE = 32;
const NO_PARAMETERS = Object.freeze({ type: 'object', additionalProperties: false });

/**
 * The tools of a source under its namespace.
 *
 * @throws ConfigurationError for a namespace or name that no tool could have
 */
export function toolsOfSource(source: ToolSource): readonly FoundTool[] {
  const { namespace } = source;
  if (!isToolName(namespace) || namespace.length > LONGEST_NAMESPACE) {
    throw new ConfigurationError(
      `A tool source has the namespace '${String(namespace)}': write 1 to ${LONGEST_NAMESPACE} of the characters of a tool name.`,
    );
  }
  refuseGenerator(Reflect.get(source, 'call'), `The call of the tool source '${namespace}'`);
  return source.tools.map((tool) => foundIn(source, tool));
}

function foundIn(source: ToolSource, tool: SourceTool): FoundTool {
  const { description, parameters = NO_PARAMETERS, annotations, metadata } = tool;
  const name: string = `${source.namespace}_${tool.name}`;
  if (!isToolName(name)) {
    throw new ConfigurationError(
      `Tool '${tool.name}' of the source '${source.namespace}' cannot be offered: a name, namespace included, is ${NAME_RULE}. ` +
        `Rename it where the source lists it.`,
    );
  }
  const instance = new SourceMethod(source, tool.name);
  const wrapper = new InstanceWrapper({
    name: SourceMethod.name,
    token: SourceMethod,
    metatype: SourceMethod,
    instance,
    isResolved: true,
  });
  const method = methodOf(SourceMethod, 'run');
  if (method === undefined) throw new TypeError('A source method has nothing to run.');
  const options = { name, description, parameters, annotations, metadata };
  const mark = { name: 'run', options, destructive: undefined, method, declaredBy: SourceMethod };
  return Object.freeze({
    source: source.namespace,
    id: `${wrapper.id}#run`,
    wrapper,
    type: SourceMethod,
    mark,
    method,
  });
}
