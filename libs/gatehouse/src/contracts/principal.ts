/** Who acts: the person or service on whose behalf a run proposes calls, or who decides an approval. */
export interface Principal {
  /** Opaque and stable. Compared byte by byte. */
  readonly id: string;
  /** The tenant; absent is a tenant of its own. */
  readonly organizationId?: string;
  /** Compared byte by byte with `approvers.roles`. */
  readonly roles?: readonly string[];
}
