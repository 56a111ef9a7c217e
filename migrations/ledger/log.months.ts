/**
 * Months. `uuid_v7` and `uuid_floor` make ids and the lowest id of an instant. `ensure_month` makes the partitions of one month: SECURITY DEFINER, so
 * that a writer without DDL rights can ask for one; ATTACH, so that readers and writers of other months are not held up.
 */
export const monthFunctions = (s: string): string[] => [
  `CREATE FUNCTION ${s}.uuid_floor(instant timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
  SELECT (lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$body$`,
  `CREATE FUNCTION ${s}.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE AS $body$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$body$`,
  `CREATE FUNCTION ${s}.uuid_instant(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
  SELECT to_timestamp(('x' || lpad(encode(substring(uuid_send(id) FROM 1 FOR 6), 'hex'), 16, '0'))::bit(64)::bigint / 1000.0)
$body$`,
  ensureMonth(s),
];

const ensureMonth = (
  s: string,
): string => `CREATE FUNCTION ${s}.ensure_month(instant timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  first timestamptz := date_trunc('month', instant, 'UTC');
  month text := to_char(first AT TIME ZONE 'UTC', 'YYYYMM');
  low uuid := ${s}.uuid_floor(first);
  high uuid := ${s}.uuid_floor((first AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  parent text;
  part text;
BEGIN
  IF first < '2000-01-01Z' OR first > clock_timestamp() + interval '400 days' THEN
    RAISE EXCEPTION 'no month of evidence can be made for %', instant USING ERRCODE = 'check_violation';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('gatehouse:month:${s}:' || month, 0));
  FOREACH parent IN ARRAY ARRAY['audit_log', 'audit_payload'] LOOP
    part := parent || '_' || month;
    CONTINUE WHEN to_regclass(format('${s}.%I', part)) IS NOT NULL;
    EXECUTE format('CREATE TABLE ${s}.%I (LIKE ${s}.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
    EXECUTE format('CREATE TRIGGER never_truncated BEFORE TRUNCATE ON ${s}.%I FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_change()', part);
    EXECUTE format('ALTER TABLE ${s}.%I ENABLE ALWAYS TRIGGER never_truncated', part);
    EXECUTE format('ALTER TABLE ${s}.%I ATTACH PARTITION ${s}.%I FOR VALUES FROM (%L) TO (%L)', parent, part, low, high);
    EXECUTE format('ALTER TABLE ${s}.%I ENABLE ALWAYS TRIGGER append_only', part);
  END LOOP;
  RETURN month;
END $body$`;

/** This month and the three that follow. */
export const firstMonths = (s: string): string[] => [
  `SELECT ${s}.ensure_month(clock_timestamp() + month * interval '1 month') FROM generate_series(0, 3) AS month`,
];
