import { withoutPassword } from './without.password.js';

it.each([
  ['postgres://desk:hunter2@db:5432/desk', 'postgres://desk:***@db:5432/desk'],
  ['postgres://desk@db/desk?sslmode=require', 'postgres://desk@db/desk?sslmode=require'],
  ['not a url with hunter2', '(as DATABASE_URL says)'],
])('shows %s as %s', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
