import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ToolFailedError } from 'nest-gatehouse';
import { catchError, type Observable } from 'rxjs';
import { DeskError } from './desk.error.js';

/** Lets the model read why the desk refused. Of every other error it learns only that the tool failed. */
@Injectable()
export class DeskErrorInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        throw error instanceof DeskError ? new ToolFailedError(error.message, { cause: error }) : error;
      }),
    );
  }
}
