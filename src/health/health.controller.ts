import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** Answers once the application is ready and its database speaks. Open to everybody. */
@Controller('health')
export class HealthController {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  @Get()
  async health(): Promise<{ readonly status: 'ok' }> {
    try {
      await this.database.query('select 1');
    } catch (error) {
      throw new ServiceUnavailableException('The database does not answer.', { cause: error });
    }
    return { status: 'ok' };
  }
}
