/** The application cannot start, for a reason that its message explains and whoever starts it can change. */
export abstract class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
