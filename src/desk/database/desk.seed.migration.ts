import type { MigrationInterface, QueryRunner } from 'typeorm';

const CUSTOMERS = `
  insert into desk.customers (id, organization_id, name, email)
  select number, 'acme', first || ' ' || last, lower(first) || '.' || lower(last) || '@example.com'
    from unnest(
      array['Ada', 'Bela', 'Cleo', 'Dora', 'Emil', 'Fritz', 'Greta', 'Hugo', 'Ines', 'Jonas',
            'Kira', 'Lars', 'Mona', 'Nils', 'Olga', 'Paul', 'Rosa', 'Sven', 'Tilda', 'Uwe'],
      array['Adler', 'Brandt', 'Clement', 'Dietz', 'Ebert', 'Falk', 'Graf', 'Hahn', 'Irmer', 'Jung',
            'Keller', 'Lang', 'Maurer', 'Noll', 'Otto', 'Pohl', 'Reuter', 'Sommer', 'Thoma', 'Urban']
    ) with ordinality as people (first, last, number)
`;

const ORDERS = `
  insert into desk.orders (id, organization_id, customer_id, item, status, total_cents)
  select 1001 + n, 'acme', 1 + n % 20,
         (array['Desk lamp', 'Office chair', 'Bookshelf', 'Standing desk', 'Whiteboard'])[1 + n % 5],
         (array['delivered', 'shipped', 'paid'])[1 + n % 3],
         99900 + (n * 7919) % 50000
    from generate_series(0, 99) as n
`;

/** Twenty customers, and a hundred orders from 1001 up: the same ones everywhere. */
export class DeskSeed1700000000001 implements MigrationInterface {
  readonly name = 'DeskSeed1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CUSTOMERS);
    await runner.query(ORDERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from desk.customers');
  }
}
