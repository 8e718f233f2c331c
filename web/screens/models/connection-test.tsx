import { useEffect, useRef, useState } from "react";
import type { ProviderTestResult } from "#contract/endpoints/providers.ts";
import { useProviderActions } from "#web/data/assistants/providers.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { providerPlaceOf, type ProviderForm } from "./provider-form.ts";
import { problemText } from "./problem-text.ts";
import styles from "./connection-test.module.css";

/** The button that tests the provider as it is in the form, and the result. */
export function ConnectionTest({
  form,
  storedId,
  check,
  onListed,
}: {
  form: ProviderForm;
  storedId: string | undefined;
  /** Whether the form can be sent. */
  check(): boolean;
  onListed(models: ProviderTestResult["models"]): void;
}) {
  const actions = useProviderActions();
  const [tested, setTested] = useState<{ place: string; result: ProviderTestResult }>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const place = JSON.stringify(providerPlaceOf(form));
  // A result is for what was tested.
  const result = tested?.place === place ? tested.result : undefined;

  async function run(): Promise<void> {
    if (!check() || isRunning) return;
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    setTested(undefined);
    const model = form.defaultModel || form.models?.[0]?.id;
    try {
      const body = {
        ...providerPlaceOf(form),
        ...(storedId === undefined ? {} : { provider_id: storedId }),
        ...(model === undefined ? {} : { model }),
      };
      const answer = await actions.test(body, controller.signal);
      setTested({ place, result: answer });
      if (answer.models.length > 0) onListed(answer.models);
    } catch (error) {
      if (!controller.signal.aborted) showFailure(error);
    }
    if (!controller.signal.aborted) setRunning(false);
  }

  return (
    <div className={styles["test"]}>
      <Button disabled={isRunning} onClick={() => void run()}>
        {t(isRunning ? "provider.testing" : "provider.test")}
      </Button>
      <div role="status" className={styles["result"]} data-problem={result?.problem != null || undefined}>
        {result !== undefined && <Result result={result} />}
      </div>
    </div>
  );
}

function Result({ result }: { result: ProviderTestResult }) {
  const { problem, detail, model, latency_ms: latencyMs, models } = result;
  if (problem === null) {
    const seconds = printNumber(Math.max(0.1, Math.round((latencyMs ?? 0) / 100) / 10));
    return (
      <>
        <p>{t("provider.works", { model: model ?? "", seconds })}</p>
        {models.length > 0 && <p>{t("provider.lists", { count: models.length })}</p>}
      </>
    );
  }
  return (
    <>
      <p>{problemText(problem)}</p>
      {detail !== null && (
        <p dir="auto" className={styles["detail"]}>
          {detail}
        </p>
      )}
    </>
  );
}
