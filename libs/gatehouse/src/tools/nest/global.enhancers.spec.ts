import { ApplicationConfig } from '@nestjs/core';
import { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { enhancerName, globalEnhancers, globalNames, scopedName } from './global.enhancers.js';

class Guard {
  canActivate = () => true;
}
class Pipe {
  transform = (value: unknown) => value;
}
class Interceptor {
  intercept = () => undefined as never;
}

const wrapped = (options: ConstructorParameters<typeof InstanceWrapper>[0]) => new InstanceWrapper(options);

describe('the application’s own guards, pipes and interceptors', () => {
  it('are those of the kind that is asked for, the shared ones first', () => {
    const config = new ApplicationConfig();
    config.addGlobalGuard(new Guard());
    config.addGlobalRequestGuard(wrapped({ metatype: Guard }) as never);
    config.addGlobalPipe(new Pipe());
    config.addGlobalRequestPipe(wrapped({ metatype: Pipe }) as never);
    config.addGlobalInterceptor(new Interceptor());
    config.addGlobalRequestInterceptor(wrapped({ metatype: Interceptor }) as never);
    expect(globalNames(globalEnhancers(config, 'guard'))).toEqual(['Guard', 'Guard']);
    expect(globalNames(globalEnhancers(config, 'pipe'))).toEqual(['Pipe', 'Pipe']);
    expect(globalNames(globalEnhancers(config, 'interceptor'))).toEqual(['Interceptor', 'Interceptor']);
  });

  it('have the name of their class, of the function they are, or none', () => {
    const named = [Guard, new Guard(), () => true, { canActivate: () => true }, Object.create(null), null, 'guard'];
    expect(named.map(enhancerName)).toEqual([
      ...['Guard', 'Guard', 'anonymous', 'anonymous', 'anonymous', 'anonymous', 'anonymous'],
    ]);
  });

  it('of a provider have the name of its class, else of its token', () => {
    expect(scopedName(wrapped({ metatype: Guard, name: 'APP_GUARD' }))).toBe('Guard');
    expect(scopedName(wrapped({ metatype: null, name: 'APP_GUARD' }))).toBe('APP_GUARD');
  });
});
