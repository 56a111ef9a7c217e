/** A database's address as a terminal and its logs may have it. */
export function withoutPassword(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return '(as DATABASE_URL says)';
  const url = new URL(databaseUrl);
  if (url.password !== '') url.password = '***';
  return url.href;
}
