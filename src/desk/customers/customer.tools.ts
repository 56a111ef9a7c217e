import { Injectable, UseGuards, UseInterceptors } from '@nestjs/common';
import { DestructiveTool, RequireApproval, Tool, ToolCall } from 'nest-gatehouse';
import { Roles } from '../../auth/roles.decorator.js';
import { RolesGuard } from '../../auth/roles.guard.js';
import { DeskErrorInterceptor } from '../desk-error.interceptor.js';
import { NoArguments } from '../no.arguments.js';
import { organizationOf } from '../organization.js';
import { type DeletedCustomer, CustomersService } from './customers.service.js';
import { DeleteCustomerDto } from './delete-customer.dto.js';

/** What an agent may do with customers. */
@Injectable()
@UseInterceptors(DeskErrorInterceptor)
export class CustomerTools {
  constructor(private readonly customers: CustomersService) {}

  /** Four eyes, twice: two approvers must agree, and neither may be the one who asked. */
  @DestructiveTool({
    name: 'delete_customer',
    description: 'Delete a customer with all orders and refunds. Cannot be undone.',
    target: ({ customer }: DeleteCustomerDto) => ({ type: 'customer', id: String(customer) }),
  })
  @RequireApproval<DeleteCustomerDto>({
    approvers: { roles: ['approver'], quorum: 2, notRequester: true },
    risk: 'high',
    summary: ({ customer }) => `Delete customer ${customer} with all orders and refunds`,
  })
  async deleteCustomer({ customer }: DeleteCustomerDto, call: ToolCall): Promise<DeletedCustomer> {
    return this.customers.delete(organizationOf(call), customer);
  }

  /** No demo principal is a manager: the guard's refusal is a denial, and a denial ends the run. */
  @Tool({ name: 'list_all_customers', description: 'List every customer. For managers.', parameters: NoArguments })
  @UseGuards(RolesGuard)
  @Roles('manager')
  async listAllCustomers(_args: NoArguments, call: ToolCall): Promise<unknown> {
    const customers = await this.customers.list(organizationOf(call));
    return customers.map(({ id, name }) => ({ customer: id, name }));
  }
}
