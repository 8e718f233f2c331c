/** What `0055-one-schema` renames. */
export const renamedTables: Record<string, string> = { projects: "apps" };
export const renamedColumns: Record<string, string> = { project_id: "app_id" };

/** How a database or backup with these migrations names tables and columns. */
export function namesBefore(migrations: readonly string[]) {
  const isOlder = !migrations.includes("0055-one-schema");
  const present = (name: string, renamed: Record<string, string>): string =>
    (isOlder ? renamed[name] : undefined) ?? name;
  return {
    /** The present name of its table. */
    presentTable: (name: string) => present(name, renamedTables),
    /** The present name of its column. */
    presentColumn: (name: string) => present(name, renamedColumns),
    /** Its name of a table. */
    formerTable: (name: string) =>
      Object.keys(renamedTables).find((former) => present(former, renamedTables) === name) ?? name,
  };
}
