import pg from "pg";

/** What PostgreSQL calls them: 8-byte integers, which are our times and counts, and what `sum` makes of those. */
const int8 = 20;
const numeric = 1700;

/** As the client reads types, except that whole numbers are numbers. */
export const postgresTypes: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === int8 || id === numeric
      ? toNumber
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** Throws beyond 2^53, where numbers would no longer tell one integer from the next. */
function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`${text} is too large for a number.`);
  return number;
}
