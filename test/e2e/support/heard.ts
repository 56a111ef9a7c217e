/** What a client has heard so far. */
export class Heard {
  private text = '';
  private over = false;
  private readonly waiting = new Set<() => void>();

  add(text: string): void {
    this.text += text;
    this.tell();
  }

  end(): void {
    this.over = true;
    this.tell();
  }

  get all(): string {
    return this.text;
  }

  /** Resolves once an event of this type was heard. Throws where the answer ends without it. */
  async type(type: string): Promise<void> {
    while (!this.text.includes(`"type":"${type}"`)) {
      if (this.over) throw new Error(`The answer ended without ${type}: ${this.text}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private tell(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
