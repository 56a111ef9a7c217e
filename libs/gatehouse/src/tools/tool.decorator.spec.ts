import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { RequireApproval } from './require-approval.decorator.js';
import { DestructiveTool, Tool } from './tool.decorator.js';
import { approvalOf, markedTools } from './tool.metadata.js';

/** What a decorator says of a method `Orders#refund`. */
const refusalOf = (decorate: (target: object, key: string, descriptor: PropertyDescriptor) => void): string => {
  class Orders {
    refund() {}
  }
  try {
    decorate(Orders.prototype, 'refund', { value: Orders.prototype.refund });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
};

const refused = (options: object): string => refusalOf(Tool(options as never));
const refusedPolicy = (policy: object): string => refusalOf(RequireApproval(policy));

describe('@Tool and @DestructiveTool', () => {
  it('write metadata and Nest’s entry-provider mark, and leave the method as it is', () => {
    const refund = function refund() {};
    class Orders {
      lookup() {}
    }
    const descriptor = { value: refund };
    (DestructiveTool('Refund an order') as MethodDecorator)(Orders.prototype, 'refund', descriptor);
    expect(descriptor.value).toBe(refund);
    expect(markedTools(Orders)).toEqual([
      {
        name: 'refund',
        declaredBy: Orders,
        method: refund,
        destructive: true,
        options: { description: 'Refund an order' },
      },
    ]);
    expect(Object.isFrozen(markedTools(Orders)[0]?.options)).toBe(true);
    expect(Reflect.getMetadata(ENTRY_PROVIDER_WATERMARK, Orders)).toBe(true);
  });

  it('a class’s tools do not reach its parent or its siblings', () => {
    class Parent {
      @Tool('a') a() {}
    }
    class One extends Parent {
      @Tool('b') b() {}
    }
    class Other extends Parent {}
    expect([Parent, One, Other].map((type) => markedTools(type).map(({ name }) => name))).toEqual([
      ['a'],
      ['b', 'a'],
      ['a'],
    ]);
  });

  it('keep what was checked: a later change of the options changes nothing', () => {
    const annotations = { readOnlyHint: true };
    class Orders {
      @Tool({ description: 'x', annotations }) x() {}
    }
    annotations.readOnlyHint = false;
    expect(markedTools(Orders)[0]?.options.annotations).toEqual({ readOnlyHint: true });
  });

  it.each([
    [{ name: 'a b' }, "'a b' is no tool name: 1 to 64 of the characters A-Z a-z 0-9 _ . -. Pass another one as name."],
    [
      { name: 'a'.repeat(65) },
      `'${'a'.repeat(65)}' is no tool name: 1 to 64 of the characters A-Z a-z 0-9 _ . -. Pass another one as name.`,
    ],
    [
      { descripton: 'x' },
      "unknown option 'descripton'. It takes name, description, parameters, annotations, metadata, destructive, retries, timeout, audit, target.",
    ],
    [{ description: ' ' }, 'description must be text that says something, or be left out.'],
    [{ retries: -1 }, 'retries must be a whole number of 0 or more.'],
    [{ retries: 1.5 }, 'retries must be a whole number of 0 or more.'],
    [{ timeout: 0 }, 'timeout must be longer than nothing.'],
    [{ destructive: 'yes' }, 'destructive must be true or false.'],
    [{ audit: 'optional' }, "audit must be 'required'."],
    [{ target: 'order' }, 'target must be a function.'],
    [{ annotations: { at: new Date() } }, 'annotations must be a plain JSON object.'],
    [{ metadata: [] }, 'metadata must be a plain JSON object.'],
    [{ parameters: 'LookupDto' }, 'parameters must be a DTO class, a Standard Schema or a JSON Schema object.'],
  ])('%j is refused, naming the method', (options, why) => {
    expect(refused(options)).toBe(`@Tool on Orders#refund: ${why}`);
  });

  it('a duration nobody can read is refused', () => {
    expect(refused({ timeout: 'soon' })).toContain("@Tool on Orders#refund: timeout is 'soon', which is no duration.");
  });

  it('contradictions are refused', () => {
    expect(refusalOf(DestructiveTool({ description: 'x', destructive: false }) as never)).toBe(
      '@DestructiveTool on Orders#refund: it also says destructive: false. Use @Tool, or leave that out.',
    );
    const twice = () => {
      class Orders {
        @Tool('x') @DestructiveTool('y') refund() {}
      }
      return Orders;
    };
    expect(twice).toThrow('@Tool on Orders#refund: one of @Tool and @DestructiveTool already stands there. Keep one.');
  });

  it('static methods, accessors, properties and symbols are refused', () => {
    class Orders {
      static all() {}
    }
    const tool = Tool('x') as unknown as (
      target: object,
      key: string | symbol,
      descriptor?: PropertyDescriptor,
    ) => void;
    expect(() => tool(Orders, 'all', { value: Orders.all })).toThrow(
      '@Tool on Orders#all: a static method has no instance to inject into.',
    );
    expect(() => tool(Orders.prototype, 'size', { get: () => 1 })).toThrow(
      '@Tool on Orders#size: it stands on an accessor or a property',
    );
    expect(() => tool(Orders.prototype, 'field')).toThrow(
      '@Tool on Orders#field: it stands on an accessor or a property',
    );
    expect(() => tool(Orders.prototype, Symbol('s'), { value: () => 1 })).toThrow(
      '@Tool on Orders#Symbol(s): a method named by a symbol',
    );
  });
});

describe('@RequireApproval', () => {
  it.each([
    [
      { wen: () => true },
      "unknown option 'wen'. It takes when, approvers, expiresIn, executeWithin, editable, summary, risk.",
    ],
    [{ when: true }, 'when must be a function.'],
    [{ risk: 'huge' }, "risk must be 'low' or 'medium' or 'high'."],
    [{ editable: 'amount' }, 'editable must be a list of names.'],
    [{ expiresIn: 0 }, 'expiresIn must be longer than nothing.'],
    [{ approvers: { roles: [] } }, 'approvers.roles must be a list of names.'],
    [{ approvers: { quorum: 0 } }, 'approvers.quorum must be a whole number of 1 or more.'],
    [{ approvers: { role: 'x' } }, "unknown option 'role'. It takes roles, notRequester, quorum."],
    [
      { approvers: { quorum: 2 }, editable: ['amount'] },
      'editable needs a single approver: leave out quorum and notRequester, or editable.',
    ],
    [
      { approvers: { notRequester: true }, editable: ['amount'] },
      'editable needs a single approver: leave out quorum and notRequester, or editable.',
    ],
  ])('%j is refused, naming the method', (policy, why) => {
    expect(refusedPolicy(policy)).toBe(`@RequireApproval on Orders#refund: ${why}`);
  });

  it('on a class holds for its tools; the method’s own goes before it; an override inherits it', () => {
    @RequireApproval({ risk: 'low' })
    class Orders {
      @Tool('a') a() {}
      @Tool('b') @RequireApproval({ risk: 'high' }) b() {}
    }
    class Special extends Orders {
      @Tool('b') override b() {}
    }
    expect(['a', 'b'].map((name) => approvalOf(Orders, name)?.risk)).toEqual(['low', 'high']);
    expect(['a', 'b'].map((name) => approvalOf(Special, name)?.risk)).toEqual(['low', 'high']);
    expect(approvalOf(class {}, 'a')).toBeUndefined();
  });
});
