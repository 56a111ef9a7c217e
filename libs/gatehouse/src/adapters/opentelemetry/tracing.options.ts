/** Options of `GatehouseTracingModule.forRoot`. */
export interface TracingOptions {
  /**
   * Whether spans carry what calls were given and what they returned, redacted as in every other place. `'none'`: neither. `'inline'`: both, as
   * `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`. Default `'none'`.
   */
  readonly content?: 'none' | 'inline';
}
