/** What the desk refuses for a reason of its own business. The message is for whoever asked, the model included. */
export abstract class DeskError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
