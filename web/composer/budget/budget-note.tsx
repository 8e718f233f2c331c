import { useAuiState } from "@assistant-ui/react";
import { budgetWarningShare, isPerDay } from "#contract/accounts/budgets.ts";
import type { BudgetLeft } from "#contract/endpoints/budgets.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useBudgetOfChat } from "#web/data/usage/budget.ts";
import { useIsRunning } from "#web/runtime/open-thread.ts";
import { printMoment, printPercent, t } from "#web/i18n/translate.ts";
import styles from "./budget-note.module.css";

/** Says how much of a budget is left when that is little, and until when nothing is left. */
export function BudgetNote() {
  const isRunning = useIsRunning();
  const lastId = useAuiState((s) => s.thread.messages.findLast(({ role }) => role === "user")?.id ?? "");
  const isRefused = useMessageFacts(lastId)?.failure?.code === "budget-used";
  const budgets = useBudgetOfChat(isRunning, isRefused);
  const text = noteOf(budgets);
  if (text === undefined) return null;
  return (
    <p role="status" className={styles["note"]}>
      {text}
    </p>
  );
}

function noteOf(budgets: readonly BudgetLeft[]): string | undefined {
  const full = budgets.filter(({ used, amount }) => used >= amount);
  const longest = full.toSorted((a, b) => b.until.localeCompare(a.until))[0];
  if (longest !== undefined)
    return t(names[sharersOf(longest)].used, {
      until: printMoment(new Date(longest.until)),
      group: longest.group ?? "",
    });
  const [most] = budgets;
  if (most === undefined || most.used < most.amount * budgetWarningShare) return undefined;
  const values = {
    // Rounded down: 100 % would say that nothing is left.
    percent: printPercent(Math.floor((most.used / most.amount) * 100) / 100),
    group: most.group ?? "",
  };
  const { day, month } = names[sharersOf(most)];
  return t(isPerDay(most.limit) ? day : month, values);
}

const names = {
  nobody: { day: "budget.day", month: "budget.month", used: "budget.used" },
  group: { day: "budget.groupDay", month: "budget.groupMonth", used: "budget.usedByGroup" },
  guests: { day: "budget.guestsDay", month: "budget.guestsMonth", used: "budget.usedByGuests" },
} as const;

function sharersOf({ group, of_guests: isOfGuests }: BudgetLeft): keyof typeof names {
  if (isOfGuests) return "guests";
  return group === null ? "nobody" : "group";
}
