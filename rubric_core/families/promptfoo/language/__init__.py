"""The catalogue of promptfoo's configurations. Its shapes are independent of those of AgentV."""
