import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RolesGuard } from '../auth/roles.guard.js';
import { CARRIER_DELAY } from './carrier/carrier.delay.js';
import { CarrierGateway } from './carrier/carrier.gateway.js';
import { CarrierTools } from './carrier/carrier.tools.js';
import { Customer } from './customers/customer.entity.js';
import { CustomerTools } from './customers/customer.tools.js';
import { CustomersService } from './customers/customers.service.js';
import { DeskErrorInterceptor } from './desk-error.interceptor.js';
import { Order } from './orders/order.entity.js';
import { OrderTools } from './orders/order.tools.js';
import { OrdersService } from './orders/orders.service.js';
import { ReceiptTools } from './receipts/receipt.tools.js';
import { ReceiptsService } from './receipts/receipts.service.js';
import { Refund } from './refunds/refund.entity.js';
import { RefundTools } from './refunds/refund.tools.js';
import { RefundsService } from './refunds/refunds.service.js';
import { ReportTools } from './reports/report.tools.js';
import { ReportsService } from './reports/reports.service.js';

const services = [CustomersService, OrdersService, RefundsService, ReceiptsService, ReportsService, CarrierGateway];
const tools = [OrderTools, RefundTools, CustomerTools, ReceiptTools, ReportTools, CarrierTools];

/** The support desk: ordinary services, and the tool classes that open some of them to an agent. */
@Module({})
export class DeskModule {
  static forRoot({ carrierDelayMs }: { readonly carrierDelayMs: number }): DynamicModule {
    return {
      module: DeskModule,
      imports: [TypeOrmModule.forFeature([Customer, Order, Refund])],
      providers: [
        ...services,
        ...tools,
        RolesGuard,
        DeskErrorInterceptor,
        { provide: CARRIER_DELAY, useValue: carrierDelayMs },
      ],
    };
  }
}
