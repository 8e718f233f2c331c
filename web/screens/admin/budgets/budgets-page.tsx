import { type RefCallback, useEffect, useRef, useState } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import Plus from "lucide-react/icons/plus";
import type { CommonBudget } from "#contract/accounts/budgets.ts";
import type { Budget, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import { useBudgets } from "#web/data/admin/budgets.ts";
import { useGroups } from "#web/data/admin/groups.ts";
import { usePeople } from "#web/data/admin/people.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../../list-content.tsx";
import { Page } from "../../page.tsx";
import { FindField } from "../../find-field.tsx";
import { Mark, Row } from "../../row.tsx";
import { budgetFacts } from "./budget-facts.ts";
import { BudgetDialog, type Holder } from "./budget-dialog.tsx";
import styles from "../../screen.module.css";
import own from "./budgets.module.css";

/** Groups and people without a budget that a search offers. */
const offeredMax = 5;

/** `/admin/limits`: how much of models everyone, roles, groups and single people may use. */
export function BudgetsPage() {
  const [typed, setTyped] = useState("");
  const search = useDebouncedValue(typed.trim());
  const list = useBudgets(search);
  const [changed, setChanged] = useState<Holder>();
  const [closedId, setClosedId] = useState<string>();
  /** The buttons that open the dialog of a holder, by the holder's id. */
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const buttonOf =
    (id: string): RefCallback<HTMLButtonElement> =>
    (button) => {
      if (button === null) return undefined;
      buttons.current.set(id, button);
      return () => void (buttons.current.get(id) === button && buttons.current.delete(id));
    };
  const close = () => {
    setChanged(undefined);
    setClosedId(changed?.id);
  };
  const hasOwn = list.budgets.some(({ id }) => id === closedId);
  // With its first budget or without one, the holder is in another list. Its row moves before or after the dialog closes.
  useEffect(() => {
    if (changed !== undefined || closedId === undefined || document.activeElement !== document.body) return;
    const holder = buttons.current.get(closedId) ?? document.getElementById("main");
    holder?.focus({ preventScroll: true });
    if (hasOwn) setClosedId(undefined);
  }, [changed, closedId, hasOwn]);
  const everyone = list.common.find(({ id }) => id === "everyone")?.limits;
  const guests = list.common.find(({ id }) => id === "guests");
  const openCommon = ({ id, limits }: CommonBudgetRow) =>
    setChanged({ id, name: t(`budgets.${id}`), kind: "common", limits: limits ?? undefined });
  return (
    <Page title={t("budgets.title")}>
      <p className={styles["about"]}>{t("budgets.about")}</p>
      <p className={styles["about"]}>{t("budgets.aboutMoney")}</p>
      <ListContent
        list={list}
        isEmpty={false}
        loadingLabel={t("budgets.loading")}
        failedTitle={t("budgets.failed")}
      >
        <h2 className={styles["heading"]}>{t("budgets.perPerson")}</h2>
        <ul className={styles["list"]}>
          {list.common
            .filter((budget) => budget !== guests)
            .map((budget) => (
              <BudgetRow
                key={budget.id}
                name={t(`budgets.${budget.id}`)}
                facts={
                  budget.limits === null
                    ? [inherited(budget.id, everyone != null)]
                    : budgetFacts(budget.limits)
                }
                onOpen={() => openCommon(budget)}
              />
            ))}
        </ul>
        <h2 className={styles["heading"]}>{t("budgets.own")}</h2>
        <p className={styles["about"]}>{t("budgets.ownAbout")}</p>
        {guests !== undefined && (
          <ul className={styles["list"]}>
            <BudgetRow
              name={t("budgets.guests")}
              facts={
                guests.limits === null
                  ? [t("budgets.unlimited")]
                  : budgetFacts(guests.limits, guests.used ?? undefined)
              }
              onOpen={() => openCommon(guests)}
            />
          </ul>
        )}
        <FindField label={t("budgets.find")} value={typed} onChange={setTyped} />
        {search !== "" && (
          <WithoutBudget search={search} budgets={list.budgets} buttonOf={buttonOf} onChoose={setChanged} />
        )}
        {list.budgets.length === 0 ? (
          search === "" && <p className={styles["about"]}>{t("budgets.noneOwn")}</p>
        ) : (
          <ul className={styles["list"]}>
            {list.budgets.map((budget) => (
              <BudgetRow
                key={budget.id}
                button={buttonOf(budget.id)}
                name={nameOf(budget)}
                mark={budget.kind === "group" ? t("budgets.group") : undefined}
                facts={budgetFacts(budget.limits, budget.used)}
                onOpen={() => setChanged({ ...budget, name: nameOf(budget) })}
              />
            ))}
          </ul>
        )}
        <MoreButton list={list} />
      </ListContent>
      {changed !== undefined && <BudgetDialog holder={changed} list={list} onClose={close} />}
    </Page>
  );
}

function BudgetRow({
  button,
  name,
  mark,
  facts,
  onOpen,
}: {
  button?: RefCallback<HTMLButtonElement>;
  name: string;
  mark?: string | undefined;
  facts: string[];
  onOpen(): void;
}) {
  return (
    <li className={styles["row"]}>
      <button {...(button && { ref: button })} type="button" className={own["open"]} onClick={onOpen}>
        <span className={styles["words"]}>
          <bdi className={styles["name"]}>{name}</bdi>
          {mark !== undefined && <span className={styles["mark"]}>{mark}</span>}
          <span className={styles["facts"]}>
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </span>
        </span>
        <Icon of={ChevronRight} size={16} />
      </button>
    </li>
  );
}

/** Groups and people who match and have no budget of their own, or that nobody matches. */
function WithoutBudget({
  search,
  budgets,
  buttonOf,
  onChoose,
}: {
  search: string;
  budgets: readonly Budget[];
  buttonOf(id: string): RefCallback<HTMLButtonElement>;
  onChoose(holder: Holder): void;
}) {
  const { groups, state: groupsState } = useGroups(search);
  const { people, state: peopleState } = usePeople(search);
  const isNew = ({ id }: { id: string }) => !budgets.some((budget) => budget.id === id);
  const found = [
    ...groups.filter(isNew).map(({ id, name }) => ({ id, name, kind: "group" as const })),
    ...people
      .filter(isNew)
      .map((person) => ({ id: person.id, name: nameOf(person), kind: "person" as const })),
  ].slice(0, offeredMax);
  if (found.length === 0) {
    const isKnown = groupsState === "ready" && peopleState === "ready";
    if (!isKnown || budgets.length > 0) return null;
    return <p className={styles["about"]}>{t("people.none", { typed: search })}</p>;
  }
  return (
    <ul className={styles["list"]} aria-label={t("budgets.without")}>
      {found.map((holder) => (
        <Row
          key={holder.id}
          name={holder.name}
          mark={holder.kind === "group" && <Mark>{t("budgets.group")}</Mark>}
        >
          <Button
            ref={buttonOf(holder.id)}
            icon={Plus}
            aria-label={t("budgets.addNamed", { name: holder.name })}
            onClick={() => onChoose({ ...holder, limits: undefined })}
          >
            {t("budgets.add")}
          </Button>
        </Row>
      ))}
    </ul>
  );
}

function inherited(id: CommonBudget, hasEveryone: boolean): string {
  return t(id === "everyone" || !hasEveryone ? "budgets.unlimited" : "budgets.asEveryone");
}

function nameOf({ name, email }: { name: string | null; email: string | null }): string {
  return name ?? email ?? "";
}
