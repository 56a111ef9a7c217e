import type { ServerResponse } from 'node:http';

import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';

/** Thrown where there is nothing to stream: nothing of a chat is under way that the caller may see, or a reader has everything already. */
export class NothingActive extends Error {
  override readonly name = 'NothingActive';
}

/** Answers it as chat clients, and a browser's `EventSource`, expect: 204. */
@Catch(NothingActive)
export class NothingActiveFilter implements ExceptionFilter<NothingActive> {
  catch(_nothing: NothingActive, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    response.statusCode = 204;
    response.end();
  }
}
