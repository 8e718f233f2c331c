import pg from "pg";

/** PostgreSQL's ids of the types of our times and counts, and of their sums. */
const int8 = 20;
const numeric = 1700;

/** The client's parsers, except that integers become numbers. */
export const postgresTypes: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === int8 || id === numeric
      ? toNumber
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** Throws beyond 2^53, where a number cannot represent every integer. */
function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`${text} is too large for a number.`);
  return number;
}
