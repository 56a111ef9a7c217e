import { toolFingerprint, type ToolIdentity } from './tool.fingerprint.js';

const tool: ToolIdentity = {
  source: 'Orders#refund',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
  destructive: true,
  approval: { when: () => true, risk: 'high', approvers: { roles: ['finance'] } },
};

describe('toolFingerprint', () => {
  it('stays as long as source, schema and policy do, whatever the order of keys', () => {
    const { source, parameters, ...rest } = tool;
    expect(
      toolFingerprint({ ...rest, parameters: { properties: parameters['properties'] ?? {}, type: 'object' }, source }),
    ).toBe(toolFingerprint(tool));
  });

  it('changes with each of them, functions by their text', () => {
    const changed: ToolIdentity[] = [
      tool,
      { ...tool, source: 'Orders#pay' },
      { ...tool, parameters: { type: 'object' } },
      { ...tool, destructive: false },
      { ...tool, approval: undefined },
      { ...tool, approval: { ...tool.approval, when: () => false } },
      { ...tool, approval: { ...tool.approval, summary: () => 'x' } },
      { ...tool, approval: { ...tool.approval, risk: 'low' } },
      { ...tool, approval: { ...tool.approval, approvers: { roles: ['support'] } } },
    ];
    expect(new Set(changed.map(toolFingerprint)).size).toBe(changed.length);
  });
});
