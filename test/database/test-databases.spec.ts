import { adminUrl, freshDatabase, templateDatabase } from '../support/postgres.js';
import { query } from './support/query.js';

describe('databases for tests', () => {
  it('a template is prepared once, however many ask at once, and every clone has its own rows', async () => {
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared += 1;
      await query(url, `create table note as select 'from the template' as text`);
    };
    const names = await Promise.all([1, 2, 3].map(() => templateDatabase('notes', prepare)));
    expect([prepared, new Set(names).size]).toEqual([1, 1]);
    const [one, two] = await Promise.all(names.slice(1).map((name) => freshDatabase(name)));
    if (!one || !two) throw new Error('no databases');
    await query(one.url, `insert into note values ('mine')`);
    expect(await query(one.url, 'select text from note')).toEqual([{ text: 'from the template' }, { text: 'mine' }]);
    expect(await query(two.url, 'select text from note')).toEqual([{ text: 'from the template' }]);
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });

  it('a template whose preparation failed is not kept: the next one to ask prepares it', async () => {
    const failing = templateDatabase('second-try', async (url) => {
      await query(url, 'create table half ()');
      throw new Error('migration failed');
    });
    await expect(failing).rejects.toThrow('migration failed');
    const template = await templateDatabase('second-try', async (url) => {
      expect(await query(url, `select to_regclass('half') as half`)).toEqual([{ half: null }]);
      await query(url, 'create table whole ()');
    });
    const database = await freshDatabase(template);
    expect(await query(database.url, `select to_regclass('whole')::text as whole`)).toEqual([{ whole: 'whole' }]);
    await database.drop();
  });

  it('a database dropped while somebody is connected breaks the connection instead of waiting', async () => {
    const database = await freshDatabase();
    const broken = query(database.url, 'select pg_sleep(60)').catch((error: { code: string }) => error.code);
    await query(
      adminUrl(),
      `do $$ begin while not exists (select from pg_stat_activity where query like 'select pg_sleep(60)%') loop perform pg_sleep(0.01); perform pg_stat_clear_snapshot(); end loop; end $$`,
    );
    await database.drop();
    expect(await broken).toBe('57P01');
  });
});
