require 'json'

def call_api(prompt, options, context)
  config = options['config'] || {}
  return { error: 'as asked' } if config['fails']
  raise ArgumentError, 'as asked' if config['raises']
  return 'text' if config['nothing']

  if config['data']
    return { output: { said: prompt, vars: context['vars'].keys.reject { |name| name.start_with?('__') }.sort } }
  end

  said = config.reject { |key, _| key == 'basePath' }.sort.to_h
  {
    output: "#{prompt}|#{JSON.generate(said)}|#{context['vars']['name']}",
    tokenUsage: { total: 3, prompt: 1, completion: 2 },
    cost: 0.25,
    finishReason: 'stop'
  }
end

def other(prompt, _options, _context)
  puts 'words on standard output'
  { output: "other #{prompt}" }
end
