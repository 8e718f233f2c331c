import { useState } from "react";
import type { BodyInputOf } from "#contract/api.ts";
import type {
  SearchServiceName,
  WebSearchSettings,
  WebSearchTestResult,
} from "#contract/web-search/endpoints.ts";
import { useWebSearch } from "#web/data/admin/web-search.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { SelectField } from "../../form/select-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { ListContent } from "../../list-content.tsx";
import styles from "../../screen.module.css";

/** Names of products, which no language translates. */
const services: readonly (readonly [SearchServiceName, string])[] = [
  ["searxng", "SearXNG"],
  ["brave", "Brave Search"],
  ["tavily", "Tavily"],
  ["exa", "Exa"],
  ["kagi", "Kagi"],
];

type Search = ReturnType<typeof useWebSearch>;
type Values = ReturnType<typeof valuesOf>;

/** The service with which assistants search the web. */
export function WebSearchSection() {
  const search = useWebSearch();
  const [removals, setRemovals] = useState(0);
  return (
    <section aria-labelledby="web-search">
      <h2 id="web-search" className={styles["heading"]}>
        {t("webSearch.title")}
      </h2>
      <p className={styles["about"]}>{t("webSearch.about")}</p>
      <ListContent
        list={search}
        isEmpty={false}
        loadingLabel={t("webSearch.loading")}
        failedTitle={t("webSearch.failed")}
      >
        {search.stored !== undefined && (
          <ServiceForm
            key={removals}
            stored={search.stored.settings}
            search={search}
            onRemoved={() => setRemovals(removals + 1)}
          />
        )}
      </ListContent>
    </section>
  );
}

function ServiceForm({
  stored,
  search,
  onRemoved,
}: {
  stored: WebSearchSettings | null;
  search: Search;
  onRemoved(): void;
}) {
  const form = useForm<Values>({
    first: valuesOf(stored),
    mistakesOf: (values) => mistakesOf(values, stored),
    emptied: ["key"],
    async onSave(values) {
      await search.save(bodyOf(values));
      showToast(t("account.saved"));
      return undefined;
    },
  });
  const { values, change } = form;
  const { confirm, dialog } = useConfirmation();
  const remove = () =>
    confirm({
      text: t("webSearch.removeAsk"),
      label: t("webSearch.remove"),
      run: async () => {
        await search.remove();
        onRemoved();
        return t("webSearch.removed");
      },
    });
  return (
    <>
      <Form
        form={form}
        saveLabel={t("action.save")}
        otherButton={stored !== null && <Button onClick={remove}>{t("webSearch.remove")}</Button>}
      >
        <SelectField
          label={t("webSearch.service")}
          value={values.service}
          options={services}
          onChange={(service) => change({ service, address: "" })}
        />
        {values.service === "searxng" && (
          <TextField
            label={t("webSearch.address")}
            hint={t("webSearch.addressHint")}
            isCode
            inputMode="url"
            {...form.field("address")}
          />
        )}
        <TextField
          label={t(values.service === "searxng" ? "webSearch.keyOptional" : "webSearch.key")}
          hint={t(hasStoredKey(values, stored) ? "webSearch.keyStored" : "webSearch.keyHint")}
          isCode
          type="password"
          autoComplete="new-password"
          {...form.field("key")}
        />
      </Form>
      {stored !== null && <TestSearch test={search.test} />}
      {dialog}
    </>
  );
}

function valuesOf(stored: WebSearchSettings | null) {
  const service: SearchServiceName = stored?.service ?? "searxng";
  return { service, address: stored?.address ?? "", key: "" };
}

function bodyOf({ service, address, key }: Values): BodyInputOf<"webSearch.put"> {
  return {
    service,
    address: address.trim() === "" ? null : address.trim(),
    ...(key.trim() === "" ? {} : { key: key.trim() }),
  };
}

/** Whether the server has the key for this service. */
function hasStoredKey(values: Values, stored: WebSearchSettings | null): boolean {
  const { service, address } = bodyOf(values);
  return stored?.has_key === true && stored.service === service && stored.address === address;
}

function mistakesOf(values: Values, stored: WebSearchSettings | null): Partial<Record<keyof Values, string>> {
  const { service, address, key } = bodyOf(values);
  const isAddressWrong = service === "searxng" && !(address !== null && /^https?:\/\/\S+$/i.test(address));
  const isKeyMissing = service !== "searxng" && key === undefined && !hasStoredKey(values, stored);
  return {
    ...(isAddressWrong && { address: t("webSearch.noAddress") }),
    ...(isKeyMissing && { key: t("account.missing") }),
  };
}

/** Searches for something with the stored settings, and says what is wrong. */
function TestSearch({ test }: { test: Search["test"] }) {
  const [query, setQuery] = useState(t("webSearch.testQuery"));
  const [result, setResult] = useState<WebSearchTestResult>();
  const { isBusy, run } = useBusy();

  async function search(): Promise<void> {
    setResult(undefined);
    setResult(await test(query.trim()));
  }

  return (
    <form
      className="above-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (query.trim() !== "") run(search);
      }}
    >
      <TextField label={t("webSearch.testLabel")} value={query} maxLength={200} onChange={setQuery} />
      <Button type="submit" className="above-2" disabled={isBusy}>
        {t(isBusy ? "webSearch.testing" : "webSearch.test")}
      </Button>
      <div role="status" className={styles["testResult"]} data-problem={result?.problem != null || undefined}>
        {result !== undefined && result.problem !== null && (
          <>
            <p>{t(`webSearchProblem.${result.problem}`)}</p>
            {result.service_text !== null && <p>{t("webSearch.said", { text: result.service_text })}</p>}
          </>
        )}
        {result?.problem === null && (
          <>
            <p>
              {t("webSearch.found", {
                count: result.titles.length,
                seconds: printNumber(Math.round(result.took_ms / 100) / 10),
              })}
            </p>
            <ul>
              {result.titles.map((title) => (
                <li key={title} dir="auto">
                  {title}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </form>
  );
}
