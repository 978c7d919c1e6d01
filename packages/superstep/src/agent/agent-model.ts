import { SuperstepError } from "../errors/errors.ts";
import { describe } from "../errors/describe.ts";
import type { Runtime } from "../engine/runtime.ts";
import { initChatModel } from "../model/lazy-init.ts";
import type { ChatModel } from "../model/types.ts";
import { isRunnable, type Runnable } from "../runnable/runnable.ts";
import { type AgentTools, checkSubset, type ModelLike } from "./binding.ts";

/**
 * Chooses the model at run time. The tools that it has bound must all be the agent's. Without any,
 * createReactAgent calls it as it is; createAgent binds the agent's.
 */
export type DynamicModel<State> = (
  state: State,
  runtime: Runtime,
) => ChatModel | ModelLike | Promise<ChatModel | ModelLike>;

/** A model: "provider:model", a chat model with or without tools bound, or a chain with one in it. */
export type AgentModel<State> = string | ChatModel | ModelLike | Runnable | DynamicModel<State>;

/** Gives the model for one call. */
export type ModelResolver = (state: never, runtime: Runtime) => Runnable | Promise<Runnable>;

/**
 * Every form of model as a function that gives the model for a call. `ready` is applied once to a
 * model that is known when the agent is built, or when one named by a string has been loaded; a
 * model that is chosen at run time binds its own tools.
 *
 * Throws `INVALID_MODEL` for anything else, and what `ready` throws.
 */
export function modelResolver(
  model: unknown,
  tools: AgentTools,
  ready: (model: Runnable) => Runnable,
): ModelResolver {
  if (typeof model === "string") {
    let loading: Promise<Runnable> | undefined;
    return () => {
      loading ??= initChatModel(model).then(ready);
      loading.catch(() => {
        loading = undefined; // the next call tries again: a package may have come, or a variable
      });
      return loading;
    };
  }
  if (typeof model === "function") {
    return async (state, runtime) => {
      const chosen: unknown = await (model as DynamicModel<never>)(state, runtime);
      if (!isRunnable(chosen)) throw notAModel("The model function returned", chosen);
      checkSubset(chosen, tools);
      return chosen;
    };
  }
  if (!isRunnable(model)) throw notAModel("The model is", model);
  const known = ready(model);
  return () => known;
}

function notAModel(what: string, value: unknown): SuperstepError {
  return new SuperstepError("INVALID_MODEL", `${what} ${describe(value)}, which is no model.`, {
    fix: 'Give "provider:model", a chat model, a runnable, or a function that returns a chat model; await initChatModel() makes the one that SUPERSTEP_MODEL names.',
  });
}
