import { Injectable } from '@nestjs/common';
import { RequireApproval, Tool, ToolCall } from 'nest-gatehouse';
import { NoArguments } from '../no.arguments.js';
import { organizationOf } from '../organization.js';
import { type DeskReport, ReportsService } from './reports.service.js';

/** Destroys nothing, yet figures leave the house: gated because it says so. Without `approvers` the requester decides. */
@Injectable()
export class ReportTools {
  constructor(private readonly reports: ReportsService) {}

  @Tool({ name: 'export_report', description: 'Export the totals of orders and refunds', parameters: NoArguments })
  @RequireApproval({ risk: 'low', summary: () => 'Export the totals of orders and refunds' })
  async exportReport(_args: NoArguments, call: ToolCall): Promise<DeskReport> {
    return this.reports.totals(organizationOf(call));
  }
}
