import { useSearch } from "@tanstack/react-router";

const runStatuses = ["completed", "incomplete", "error"] as const;

/** Whose threads and runs are listed, and with which status. */
export type ConsoleSearch = {
  user?: string | undefined;
  thread?: string | undefined;
  status?: (typeof runStatuses)[number] | undefined;
};

/** The query of the URL, without what people cannot have meant. */
export function useConsoleSearch(): ConsoleSearch {
  const { user, thread, status }: Record<string, unknown> = useSearch({ strict: false });
  return {
    ...(typeof user === "string" ? { user } : {}),
    ...(typeof thread === "string" ? { thread } : {}),
    ...(runStatuses.some((each) => each === status)
      ? { status: status as (typeof runStatuses)[number] }
      : {}),
  };
}
