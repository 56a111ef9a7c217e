import { Clock } from 'nest-gatehouse';

/** A clock that somebody else moves: `{ provide: Clock, useValue: new HandClock() }`. */
export class HandClock extends Clock {
  private tick = 0;
  private wall = new Date('2030-01-01T00:00:00.000Z').getTime();

  override now(): Date {
    return new Date(this.wall);
  }

  override monotonic(): number {
    return this.tick;
  }

  /** Both clocks go on by so many milliseconds. */
  advance(milliseconds: number): void {
    this.tick += milliseconds;
    this.wall += milliseconds;
  }

  /** Somebody sets the wall clock back. */
  setBack(milliseconds: number): void {
    this.wall -= milliseconds;
  }
}
