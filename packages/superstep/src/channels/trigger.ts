import type { Channel } from "./channel.ts";

/** Carries no value from step to step: a write makes the subscribed node due, once. */
export const trigger: Channel = {
  kind: "EphemeralValue",
  update: () => true,
  consume: () => undefined,
};
