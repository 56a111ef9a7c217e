/** The carrier's system failed. Its message is what drivers write: for operators, never for a model or a client. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
}
